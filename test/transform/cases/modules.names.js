await º001();await º002();await º003();await º004();await º005();async function º001() {const º = await º0.import("node:path");if (º0.has(º, "default", "node:path", true)) path = º["default"]; if (º0.has(º, "join", "node:path", true)) j = º["join"]; if (º0.has(º, "sep", "node:path", true)) s = º["sep"];}
async function º002() {const º = await º0.import("node:os");os = º;}
async function º003() {const º = await º0.import("./d.json", { with: { "type": "json" } });if (º0.has(º, "default", "./d.json", true)) data = º["default"];}
 a = await º0.import('./x.mjs');

async function º004() {const º = await º0.import("./y.mjs");}
async function º005() {const º = await º0.import("./z.mjs");}
return await º0.held(º0.meta.url)
