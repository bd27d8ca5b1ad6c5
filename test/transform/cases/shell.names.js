await º001();async function º001() {const º = await º0.import("bun");if (º0.has(º, "$", "bun", false)) $ = º["$"];}
return await º0.held(await (0, $)`echo ${name} ${1}`)
