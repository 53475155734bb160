import { meaningOf } from "../i18n/codes.ts";

interface Failed {
  code: string | null;
  /** The API's own words. */
  reason: string;
}

/** Why something failed, in one line of a table; the API's own words are shown when it is pointed at. */
export function FailureReason({ code, reason, withCode = false }: Failed & { withCode?: boolean }) {
  return (
    <span title={reason}>
      {meaningOf(code) ?? reason}
      {withCode && code && (
        <>
          {" "}
          <code>{code}</code>
        </>
      )}
    </span>
  );
}

/** Why something failed, with its code, and with the API's own words where the platform may have said more in them. */
export function FailureFacts({ code, reason }: Failed) {
  const meaning = meaningOf(code);
  return (
    <>
      {meaning ?? reason} {code && <code>{code}</code>}
      {meaning && <small lang="en">{reason}</small>}
    </>
  );
}
