import type { Finding } from "./finding.ts";

const SIGNS: Record<Finding["state"], string> = { ok: "✓", warning: "!", failed: "✗" };

/** Renders findings one per line, aligned, each with what to do below it, and a last line that counts them. */
export function renderFindings(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, state, text, todo }) => [
    `${SIGNS[state]} ${check.padEnd(width)}  ${text}`,
    ...todo === undefined ? [] : [`  ${" ".repeat(width)}  → ${todo}`],
  ]);
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  return [...lines, "", `${count("ok")} ok, ${count("warning")} to look at, ${count("failed")} failed`].join(
    "\n",
  );
}
