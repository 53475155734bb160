/** The result of one check. Texts hold no secret: they are our own words, numbers, names and hosts. */
export interface Finding {
  /** One or two words, the same for the same check. */
  check: string;
  /** `warning`: the service works, but not as it should. `failed`: something does not work. */
  state: "ok" | "warning" | "failed";
  text: string;
  /** A sentence that says what to do; only where something is to be done. */
  todo?: string;
}

export function ok(check: string, text: string): Finding {
  return { check, state: "ok", text };
}

export function warning(check: string, text: string, todo: string): Finding {
  return { check, state: "warning", text, todo };
}

export function failed(check: string, text: string, todo: string): Finding {
  return { check, state: "failed", text, todo };
}

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
