before()
function before() { return before.name }
async function* after(x = before) { yield x }
function once() { once = () => 1 }
export default function named() {}
