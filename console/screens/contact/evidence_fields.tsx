import { Problem } from "../../data/problem.ts";
import { Field } from "../../components/form/fields.tsx";
import type { ErrorOf } from "../../components/form/form.tsx";
import { localTime } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** How and when a person agreed, as it is typed. */
export interface Evidence {
  method: string;
  detail: string;
  /** As a field for date and time has it: without a time zone, so of the viewer. */
  consentedAt: string;
}

/** Returns evidence to fill in, of this minute. */
export function newEvidence(): Evidence {
  return { method: "", detail: "", consentedAt: localTime(Date.now()) };
}

/** Returns it for a request. Throws a `Problem` at the field that lacks something. */
export function readEvidence({ method, detail, consentedAt }: Evidence) {
  for (const [field, value] of [["method", method], ["consented_at", consentedAt]] as const) {
    if (value === "") throw new Problem("validation_failed", words().common.required, { details: { field } });
  }
  return {
    method: method.trim(),
    ...(detail && { detail }),
    consented_at: new Date(consentedAt).toISOString(),
  };
}

/** The fields of it. */
export function EvidenceFields({ evidence, errorOf, onChange }: {
  evidence: Evidence;
  errorOf: ErrorOf;
  onChange: (evidence: Evidence) => void;
}) {
  const { methodHelp, agreedAt, evidence: name, evidenceHelp } = words().contact;
  const { method } = words().contacts;
  return (
    <>
      <Field
        label={method}
        help={methodHelp}
        value={evidence.method}
        error={errorOf("method")}
        onChange={(value) => onChange({ ...evidence, method: value })}
      />
      <Field
        type="datetime-local"
        label={agreedAt}
        value={evidence.consentedAt}
        error={errorOf("consented_at")}
        onChange={(value) => onChange({ ...evidence, consentedAt: value })}
      />
      <Field
        label={name}
        help={evidenceHelp}
        rows={2}
        value={evidence.detail}
        error={errorOf("detail")}
        onChange={(value) => onChange({ ...evidence, detail: value })}
      />
    </>
  );
}
