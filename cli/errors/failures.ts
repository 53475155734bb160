import { CommanderError } from "commander";
import type { AdminSettings } from "../admin_settings.ts";
import { CommandError, type CommandErrorCode } from "./command_error.ts";
import { describeDatabaseError } from "./describe_database_error.ts";
import { LineageError } from "../migrations/history.ts";

/** Why a command failed: a code for programs and one line for people, with no stack and no secret. */
export interface Failure {
  code: CommandErrorCode | "internal_error";
  message: string;
}

/** SQLSTATEs of a missing schema, table, column or function. */
const NOT_MIGRATED = new Set(["3F000", "42P01", "42703", "42883"]);

/** Describes an error in one line. */
export function describeFailure(error: unknown, settings: AdminSettings | undefined): Failure {
  if (error instanceof CommandError) return { code: error.code, message: error.message };
  if (error instanceof CommanderError) return { code: "usage", message: usageOf(error) };
  if (error instanceof LineageError) return { code: "database_error", message: error.message };
  const { code } = error as { code?: unknown };
  if (settings && (typeof code === "string" || !URL.canParse(settings.databaseUrl))) {
    return { code: "database_error", message: databaseFailure(error, settings) };
  }
  const [line] = String((error as Error)?.message ?? error).split("\n");
  return { code: "internal_error", message: line || "Failed without a reason" };
}

function usageOf({ code, message }: CommanderError): string {
  if (code === "commander.help") return "No command given. Try --help";
  const text = message.replace(/^error: /, "").split("\n").map((line) => line.trim()).join(" ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}. Try --help`.replace(/([.)])\. Try/, "$1 Try");
}

function databaseFailure(error: unknown, { databaseUrl, from }: AdminSettings): string {
  const { code = "" } = error as { code?: string };
  if (NOT_MIGRATED.has(code)) return `The database is not up to date: run "deno task migrate" first`;
  const message = describeDatabaseError(error, databaseUrl);
  return code === "ECONNREFUSED" && from === "stack"
    ? `${message}; is "deno task start" still running?`
    : message;
}
