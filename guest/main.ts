import { takeKey } from './channel/key.ts'
import { receive } from './channel/receiver.ts'
import { createSender } from './channel/sender.ts'
import { boot } from './boot.ts'

const sender = createSender(takeKey())
receive(boot(sender))
