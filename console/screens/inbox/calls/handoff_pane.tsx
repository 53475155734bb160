import { may } from "../../../data/company.ts";
import type { RequestedHandoff } from "../../../data/sdk.ts";
import { Button } from "../../../components/button.tsx";
import { Empty } from "../../../components/empty.tsx";
import { Fact, Facts } from "../../../components/facts.tsx";
import { StatusBadge } from "../../../components/status_badge.tsx";
import { Time } from "../../../components/time.tsx";
import { useHandoffs } from "../inbox_data.ts";
import { ongoingCall, takeCall } from "./ongoing_call.tsx";
import { Back } from "../thread/thread_pane.tsx";
import { words } from "../../../i18n/words.ts";

/** One voice visitor who wants a person, with the button that joins them. */
export function HandoffPane({ handoffId }: { handoffId: string }) {
  const handoff = useHandoffs().rows?.find(({ handoff_id }) => handoff_id === handoffId);
  const { caller, handoffOver, handoffOverHelp } = words().inbox;
  const name = caller(handoffId.slice(0, 4).toUpperCase());
  return (
    <section class="pane thread-pane" aria-label={name}>
      <header class="thread-head">
        <Back />
        <h2>{name}</h2>
        {handoff && <StatusBadge status={handoff.status} />}
      </header>
      {handoff ? <Request handoff={handoff} /> : <Empty title={handoffOver}>{handoffOverHelp}</Empty>}
    </section>
  );
}

function Request({ handoff }: { handoff: RequestedHandoff }) {
  const { handoff_id, reason, contact, created_at, expires_at, status } = handoff;
  const names = words().inbox;
  const isMine = ongoingCall.value?.handoffId === handoff_id;
  return (
    <div class="details-body">
      <Facts>
        <Fact name={names.reason}>{reason ?? names.noReason}</Fact>
        {Object.entries(contact ?? {}).map(([name, value]) => (
          <Fact key={name} name={name}>{String(value)}</Fact>
        ))}
        <Fact name={names.asked}>
          <Time at={created_at} />
        </Fact>
        <Fact name={names.until}>
          <Time at={expires_at} />
        </Fact>
      </Facts>
      {may("operator") && status !== "ended" && !isMine && (
        <>
          <p class="help">{names.microphone}</p>
          <Button
            kind="main"
            icon="call"
            disabled={ongoingCall.value !== undefined}
            onPress={() => takeCall(handoff_id, reason)}
          >
            {names.join}
          </Button>
        </>
      )}
    </div>
  );
}
