for (const x of [1, 2]) if (x === 2) return x
return
