import type { SenderDetails } from "../../data/sdk.ts";
import { Notice } from "../../components/notice.tsx";
import { describeWait } from "../../components/wait.ts";
import { Time } from "../../components/time.tsx";
import { words } from "./words.ts";

/** The platform's refusals of a token, as they are worded for the API. */
const TOKEN = /token|API key/i;

/** Why a sender does not send as it should, and what to do. */
export function Trouble({ sender }: { sender: SenderDetails }) {
  const names = words();
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
  const names = words();
  const { sender_id, stopped_reason, stopped_at, stopped_until, locked } = sender;
  const isToken = TOKEN.test(stopped_reason ?? "") && !locked;
  return (
    <Notice
      tone="bad"
      title={`${names.stopped}: ${stopped_reason}`}
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
      {isToken && (
        <>
          <code>{names.tokenCommand(sender_id)}</code>
        </>
      )}
    </Notice>
  );
}
