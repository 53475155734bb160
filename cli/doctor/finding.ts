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
