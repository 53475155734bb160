import { getOpenApiMetadata } from "@asteasolutions/zod-to-openapi";
import { z } from "@hono/zod-openapi";
import type { Effect } from "../_shared/access/effects.ts";
import type { Role } from "../_shared/access/roles.ts";
import type { Actor } from "../_shared/db/access/audit.ts";
import type { KeyPermission } from "../_shared/db/access/keys.ts";
import type { ChannelName } from "../_shared/http/guards/require_campaign.ts";
import type { Services } from "../_shared/services.ts";

/** The caller of a tool, in one company. */
export interface ToolCaller {
  companyId: string;
  /** The channels whose campaigns it may see and send. */
  channels: ChannelName[];
  /** The hash of the caller's access key; null for a member, who sends with the company's. */
  keyHash: string | null;
  /** For the audit. */
  by: Actor;
}

export interface ToolCall<Args> {
  services: Services;
  caller: ToolCaller;
  args: Args;
}

/** The nature of a tool, for programs that decide whether to ask a person first. */
export interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  /** Something leaves for the world outside. */
  openWorldHint: boolean;
}

/** A tool for AI agents. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  /** For the agent: what it does, and when to use it. */
  description: string;
  hints: ToolHints;
  effect: Effect;
  /** The least role of a member who may use it. */
  role: Role;
  /** The permission that an access key needs: one, that of the campaign's channel, or none. */
  permission: KeyPermission | "channel" | null;
  input: Input;
  output: Output;
  /** Throws an `AppError` where the tool is refused. */
  run(call: ToolCall<z.infer<Input>>): Promise<z.input<Output>>;
}

/** Checks the types of a tool, and returns it as one of many. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool {
  return tool as unknown as Tool;
}

/** The hints of a tool that changes nothing. */
export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;

/** The page of a list: short, because an agent reads all of it. */
export const limitArgument = z.number({ error: `a whole number from 1 to ${MAX_LIMIT}` }).int().min(1)
  .max(MAX_LIMIT, `at most ${MAX_LIMIT}`).default(DEFAULT_LIMIT).openapi({
    description: "Entries per page",
  });

/** Returns the argument that names a thing by its id. */
export function idArgument(thing: string, list: string) {
  return z.guid({ error: `the id of a ${thing}` }).openapi({
    description: `The id of the ${thing}, as \`${list}\` shows it`,
  });
}

/** Returns the argument for a flag that is text in a query. */
export function flagArgument(inQuery: z.ZodType) {
  const { description } = getOpenApiMetadata(inQuery);
  return z.boolean({ error: "true or false" }).optional().openapi({ ...(description && { description }) });
}

/** The page of a list whose rows are found by their ids. */
export const pageArguments = {
  after: z.guid({ error: "the `next` of the page before" }).optional().openapi({
    description: "The `next` of the page before",
  }),
  limit: limitArgument,
};
