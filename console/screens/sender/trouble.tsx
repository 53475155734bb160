import type { SenderDetails } from "../../data/sdk.ts";
import { Notice } from "../../components/notice.tsx";
import { describeWait } from "../../components/wait.ts";
import { Time } from "../../components/time.tsx";
import { meaningOf } from "../../i18n/codes.ts";
import { words } from "../../i18n/words.ts";

/** The platforms' refusals of a token. */
const TOKEN_CODES: ReadonlySet<string> = new Set([
  ...["0", "190"],
  ...["invalid_api_key", "missing_api_key", "needs_authorization", "unauthorized"],
  ...["insufficient_permissions", "missing_permissions"],
]);

/** Why a sender does not send as it should, and what to do. */
export function Trouble({ sender }: { sender: SenderDetails }) {
  const names = words().sender;
  const { status, wait, waiting, throttle, quality } = sender;
  if (status === "stopped") return <Stopped sender={sender} />;
  return (
    <>
      {wait && wait.reason !== "rate_limited" && (
        <Notice title={describeWait(wait, waiting)}>{names.blockedHelp}</Notice>
      )}
      {throttle < 1 && <Notice title={names.slowed}>{names.slowedHelp}</Notice>}
      {quality === "RED" && <Notice title={names.lowQuality}>{names.lowQualityHelp}</Notice>}
    </>
  );
}

function Stopped({ sender }: { sender: SenderDetails }) {
  const names = words().sender;
  const { has_token, stopped_reason, stopped_code, stopped_at, stopped_until, locked } = sender;
  const isToken = !locked && (!has_token || TOKEN_CODES.has(stopped_code ?? ""));
  return (
    <Notice
      tone="bad"
      title={`${names.stopped}: ${meaningOf(stopped_code) ?? stopped_reason}`}
      facts={
        <>
          {names.stoppedAt} <Time at={stopped_at} />
          {stopped_until && (
            <>
              , {names.until} <Time at={stopped_until} />
            </>
          )}
        </>
      }
    >
      {locked
        ? names.lockedHelp
        : stopped_until
        ? names.untilHelp
        : isToken
        ? names.tokenHelp
        : names.stoppedHelp}
    </Notice>
  );
}
