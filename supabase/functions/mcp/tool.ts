import { getOpenApiMetadata } from "@asteasolutions/zod-to-openapi";
import { z } from "@hono/zod-openapi";
import type { Effect } from "../_shared/access/effects.ts";
import type { CompanyAccess, CompanyCaller } from "../_shared/http/guards/company_caller.ts";
import type { Services } from "../_shared/services.ts";

export interface ToolCall<Args> {
  services: Services;
  /** In one company; the audit says that it came through an agent. */
  caller: CompanyCaller;
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
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject>
  extends CompanyAccess {
  name: string;
  title: string;
  /** For the agent: what it does, and when to use it. */
  description: string;
  hints: ToolHints;
  effect: Effect;
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
