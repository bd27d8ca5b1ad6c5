await º001();async function º001() {const º = await º0.import("bun");if (º0.has(º, "$", "bun", false)) º$.v = º["$"];}
return await º0.held(await (0, º$.v)`echo ${ºname.v} ${1}`)
