import { meaningOf } from "../i18n/codes.ts";
import { words } from "../i18n/words.ts";

interface Failed {
  code: string | null;
  /** The API's own words. */
  reason: string;
}

/** Why something failed, in one line of a table; the API's own words are shown when it is pointed at. */
export function FailureReason({ code, reason }: Failed) {
  return <span title={reason}>{meaningOf(code) ?? reason}</span>;
}

/** Why something failed, with what the platform said behind a disclosure. */
export function FailureFacts({ code, reason }: Failed) {
  const meaning = meaningOf(code);
  return (
    <>
      {meaning ?? reason}
      <TechnicalDetails code={code} reason={meaning && reason} />
    </>
  );
}

/** A code, and the API's words about it, for who looks them up or asks for help. */
export function TechnicalDetails({ code, reason }: { code: string | null; reason?: string | undefined }) {
  if (code === null && !reason) return null;
  return (
    <details class="technical">
      <summary>{words().campaign.technical}</summary>
      {code && <code>{code}</code>} {reason && <span lang="en">{reason}</span>}
    </details>
  );
}
