const f = () => 1
const g = f
f()
let h = g
parseInt('1')
const { i } = { i: 1 }
;[h] = [i]
h
