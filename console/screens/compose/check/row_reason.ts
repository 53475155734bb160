import type { UploadDryRun } from "../../../data/sdk.ts";
import { describeExpected, rowProblem } from "../../../i18n/codes.ts";
import type { Ready } from "../draft.ts";
import { words } from "../../../i18n/words.ts";

/** Says what is wrong with a row, with what the value of its column has to be where that is known. */
export function rowReason(
  { code, column }: Pick<UploadDryRun["problems"][number], "code" | "column">,
  { content, choices }: Ready,
): string {
  const reason = rowProblem(code);
  if (code !== "validation_failed" || content.channel === "voice" || column === null) return reason;
  const value = content.template.values.find(({ name }) => {
    const source = choices.sources[name];
    return source?.kind === "column" && source.column === column;
  });
  const expected = value && describeExpected(value.kind);
  return expected ? `${reason}. ${words().compose.expected(expected)}` : reason;
}
