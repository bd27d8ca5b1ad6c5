import type { Behaviour } from '../behaviour.ts'

/** What a child is called, and what a name finds. */
export const names: readonly Behaviour[] = [
  { id: 'f001', title: 'a name with escapes, line ends and marks of direction becomes one plain line, which finds the child',
    cells: ['const h = await rlm.run("x", { name: "\\u001b[31mre\\nd\\u202e" }); [h.name, await (await rlm.subagent(h.name)).text()]'], value: ['re d', 'x'] },
  { id: 'f002', title: 'a very long name is cut with a mark, and never inside a character',
    cells: ['const h = await rlm.run("x", { name: "\\u{1f600}".repeat(300) }); [h.name.length <= 60, h.name.isWellFormed?.() ?? !/[\\ud800-\\udbff](?![\\udc00-\\udfff])/.test(h.name), h.name.endsWith("…")]'], value: [true, true, true] },
  { id: 'f003', title: 'a name of nothing but white space is a name of its own making',
    cells: ['const [a, b] = await Promise.all([" \\n ", ""].map(name => rlm.run("x", { name }))); [a.name, b.name, a.name !== b.name]'], value: ['/^child-\\d+/', '/^child-\\d+/', true] },
  { id: 'f004', title: 'names of the language itself are names like any other',
    cells: ['const all = ["__proto__", "constructor", "toString", "then"]; await Promise.all(all.map(name => rlm.run(name, { name }))); await Promise.all(all.map(async name => (await rlm.subagent(name)).text()))'], value: ['__proto__', 'constructor', 'toString', 'then'] },
  { id: 'f005', title: 'a name that is the id of another child finds that other child',
    cells: ['const a = await rlm.run("first"); const b = await rlm.run("second", { name: a.id }); [await (await rlm.subagent(a.id)).text(), await b.text()]'], value: ['first', 'second'] },
  { id: 'f006', title: 'a name that looks like a path leads nowhere: files are named by id',
    cells: ['const h = await rlm.run("x", { name: "../../../etc/passwd" }); await h.wait(); [h.name, h.output_file.includes(h.id) && !h.output_file.includes("..")]'], value: ['../../../etc/passwd', true] },
  { id: 'f007', title: 'of three children with one name each gets its own, and each finds its own',
    cells: ['const all = await Promise.all([1, 2, 3].map(n => rlm.run("same " + n, { name: "same" }))); await rlm.waitAll(all); [all.map(h => h.name).sort(), await Promise.all(all.map(async h => (await (await rlm.subagent(h.name)).text()) === await h.text()))]'], value: [['same', 'same-2', 'same-3'], [true, true, true]] },
  { id: 'f008', title: 'a name is free again once its child is off the list, and then means the new one',
    cells: ['const a = await rlm.run("old", { name: "reused" }); await a.wait(); await rlm.deleteSubagent(a); const b = await rlm.run("new", { name: "reused" }); [b.name, await (await rlm.subagent("reused")).text(), await a.text()]'], value: ['reused', 'new', 'old'] },
  { id: 'f009', title: 'what is no name of a child is refused, with the names there are',
    cells: ['const h = await rlm.run("x", { name: "known" }); await each(["unknown", "", null, 5, {}, { id: 7 }, [], "../" + h.id], key => rlm.subagent(key))'],
    value: ['/NO_CHILD: there is no child \'unknown\'.*known/', ...Array.from({ length: 6 }, () => '/^ArgumentError BAD_ARGUMENT: a child is named by/'), '/NO_CHILD/'] },
  { id: 'b099', title: 'a child that failed gives its name back at once', cells: ['const a = await rlm.run(op("crash"), { name: "again" }); await a.wait(); const b = await rlm.run("x", { name: "again" }); [a.name, b.name, await (await rlm.subagent("again")).text()]'], value: ['again', 'again', 'x'] },
  { id: 'b098', title: 'two parallel spawns with one name never share it', cells: ['const both = await Promise.all([rlm.run("a", { name: "twin" }), rlm.run("b", { name: "twin" })]); both.map(h => h.name).sort()'], value: ['twin', 'twin-2'] },
  { id: 'b102', title: 'two children with equal names and options have files of their own', cells: ['const both = await Promise.all([1, 2].map(() => rlm.run("equal", { name: "equal" }))); await rlm.waitAll(both); new Set(both.map(h => h.output_file)).size'], value: 2 },
  { id: 'b097', title: 'a handle, an entry of the list, an id and a name can each be deleted', cells: ['const all = await Promise.all([1, 2, 3, 4].map(n => rlm.run("x", { name: "gone " + n }))); await rlm.waitAll(all); const entry = (await rlm.listSubagents()).find(({ name }) => name === "gone 2"); for (const key of [all[0], entry, all[2].id, "gone 4"]) await rlm.deleteSubagent(key); (await rlm.listSubagents()).filter(({ name }) => name.startsWith("gone")).length'], value: 0 },
]
