/** The public API of pi-rlm. */
export { EngineManager } from './engine.ts'
export { EngineSupervisor, type SupervisorOptions } from './supervisor.ts'
export type { EngineOptions } from './options.ts'
export type { ExecuteOptions } from './job.ts'
export type { CellResult, CutChannel, Image, LateText } from './result.ts'
export { EngineBusyError, RlmError } from './errors.ts'
export {
  definePlugin, definePreset, guestHalf,
  type AskReply, type AskRequest, type CallContext, type ChildAgent, type ChildProgress, type ChildReader, type ChildRequest, type GuestHalfRef, type GuestRuntime,
  type Host, type HostMethod, type ModelChoice, type Plugin, type PluginSpec, type Preset, type TokenUsage,
} from './plugin.ts'
export { PluginError } from '../guest/blame.ts'
export type { HostHooks, OutputChunk, SpawnPlan, StateReport, ToolCall, ToolReply } from './hooks.ts'
export { signature } from './signature.ts'
export { nearest } from './methods.ts'
export type { CellRef, CellSource, Channel, Json, NameEntry, NameReason, RestoreReport, SnapshotReport, Thrown } from '../guest/protocol.ts'
