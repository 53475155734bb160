import { effect, signal } from "@preact/signals";
import { api, ask } from "../../../data/client.ts";
import { companyId } from "../../../data/company.ts";
import { useNow } from "../../../data/live/now.ts";
import { joinManagedHandoff } from "../../../data/sdk.ts";
import { session } from "../../../data/session/session.ts";
import { Button } from "../../../components/button.tsx";
import { docked } from "../../../components/dialog/dock.tsx";
import { attempt, toast } from "../../../components/dialog/toast.tsx";
import { duration } from "../../../i18n/format.ts";
import { enterRoom, type TalkRoom } from "./room.ts";
import { words } from "../../../i18n/words.ts";

/** The call that this tab takes part in. */
export interface OngoingCall {
  handoffId: string;
  reason: string | null;
  startedAt: number;
  isMuted: boolean;
  isInterrupted: boolean;
  /** Whether the visitor is in the room. */
  isVisitorThere: boolean;
  room: TalkRoom;
}

/** One at a time; it goes on when another screen is shown. */
export const ongoingCall = signal<OngoingCall | undefined>(undefined);

effect(() => {
  if (session.value === undefined) void hangUp();
});

/** Joins a visitor, with the microphone on. */
export async function takeCall(handoffId: string, reason: string | null): Promise<void> {
  const path = { company_id: companyId(), handoff_id: handoffId };
  const handoff = await attempt(() => ask(joinManagedHandoff({ client: api(), path })));
  if (handoff === undefined) return;
  const change = (changes: Partial<OngoingCall>) => {
    if (ongoingCall.value) ongoingCall.value = { ...ongoingCall.value, ...changes };
  };
  let wasThere = false;
  try {
    const room = await enterRoom(handoff, {
      onVisitor(isVisitorThere) {
        if (wasThere && !isVisitorThere) return void finish(words().inbox.visitorLeft);
        wasThere = isVisitorThere;
        change({ isVisitorThere });
      },
      onInterrupted: (isInterrupted) => change({ isInterrupted }),
      onEnd: (how) => void finish(how === "left" ? words().inbox.callOver : words().inbox.callLost),
    });
    ongoingCall.value = {
      ...{ handoffId, reason, room, startedAt: Date.now() },
      ...{ isMuted: false, isInterrupted: false, isVisitorThere: wasThere },
    };
    docked.value = CallBar;
  } catch (error) {
    toast(describe(error), { isBad: true });
  }
}

/** Leaves the room. The visitor's side ends as well. */
export async function hangUp(): Promise<void> {
  const call = ongoingCall.peek();
  ongoingCall.value = undefined;
  docked.value = undefined;
  await call?.room.leave();
}

async function finish(text: string): Promise<void> {
  await hangUp();
  toast(text);
}

function describe(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError") return words().inbox.microphoneRefused;
  return name === "NotFoundError" ? words().inbox.microphoneMissing : words().inbox.roomClosed;
}

/** Mute and hang up, at the bottom of every screen. */
function CallBar() {
  const now = useNow(1000);
  const call = ongoingCall.value;
  const names = words().inbox;
  if (call === undefined) return null;
  const { isMuted, isInterrupted, isVisitorThere, startedAt, reason, room } = call;
  const state = isInterrupted ? names.reconnecting : isVisitorThere ? names.talking : names.waitingForVisitor;
  return (
    <section class="call-bar" aria-label={names.call}>
      <p role="status">
        <strong>{state}</strong> {reason}
      </p>
      <span class="call-time">{duration((now - startedAt) / 1000)}</span>
      <Button
        onPress={() => {
          room.setMuted(!isMuted);
          ongoingCall.value = { ...call, isMuted: !isMuted };
        }}
      >
        {isMuted ? names.unmute : names.mute}
      </Button>
      <Button kind="danger" icon="call" onPress={hangUp}>{names.hangUp}</Button>
    </section>
  );
}
