/**
 * The words for codes of the API, in the member's language. The API sends its own words in English beside a code; they
 * are shown where a language has none.
 *
 * @module
 */
import type { Attachment, TemplateValue } from "../data/sdk.ts";
import type { Problem } from "../data/problem.ts";
import type { Words } from "./en.ts";
import { words } from "./words.ts";

/** A failure with its meaning and what to do, as the API describes them. */
export interface ExplainedFailure {
  code: string;
  meaning: string;
  what_to_do: string;
}

/** A form that names a field is for programs. */
const FIELD_NAME = /[a-z]_[a-z]/;

/** Why a file cannot be read. */
export type FileFault = keyof Words["fileFaults"];

/** Returns what went wrong, and what to do about it: one sentence for all codes without words. */
export function problemWords(code: string): string {
  return wordsOf(words().problems, code) ?? words().common.otherProblem;
}

/** Returns what a value has to be, by the API's name of its form; undefined where there are no words for it. */
export function formatWords(format: string): string | undefined {
  return wordsOf(words().formats, format) ??
    (FIELD_NAME.test(format) ? undefined : words().otherFormat(format));
}

/** Returns a failure in the member's language. */
export function explained<Failure extends ExplainedFailure>(failure: Failure): Failure {
  const known = wordsOf(words().failures, failure.code);
  return known ? { ...failure, meaning: known[0], what_to_do: known[1] } : failure;
}

/** Returns what a code means; undefined where the API's words are all there is. */
export function meaningOf(code: string | null): string | undefined {
  return code === null ? undefined : wordsOf(words().failures, code)?.[0];
}

/** Returns what is wrong with a row of a file: one sentence for all codes without words, unless a reason is given. */
export function rowProblem(code: string, reason: string = words().rowProblems.other!): string {
  return wordsOf(words().rowProblems, code) ?? reason;
}

/** Returns what to do about the rows of a file with one code. */
export function rowAdvice(code: string, whatToDo: string): string {
  return wordsOf(words().rowAdvice, code) ?? whatToDo;
}

/** Returns what is wrong with a file that the API refuses; undefined for every other problem. */
export function fileFaultOf({ details }: Problem): FileFault | undefined {
  const { fault } = (details ?? {}) as { fault?: FileFault };
  return fault !== undefined && Object.hasOwn(words().fileFaults, fault) ? fault : undefined;
}

/** Returns why the file of a person's message is not stored. */
export function attachmentProblem({ error_code, error_reason }: Attachment): string {
  return wordsOf(words().inbox.attachmentProblems, error_code ?? "") ?? error_reason ?? "";
}

/** Returns what a value of a template has to be; undefined where any text will do. */
export function describeExpected(kind: TemplateValue["kind"]): string | undefined {
  return kind === "text" ? undefined : words().values[kind];
}

function wordsOf<Text>(known: Record<string, Text>, code: string): Text | undefined {
  return Object.hasOwn(known, code) ? known[code] : undefined;
}
