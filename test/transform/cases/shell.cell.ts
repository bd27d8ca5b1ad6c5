import { $ } from 'bun'
await $`echo ${name} ${1}`
