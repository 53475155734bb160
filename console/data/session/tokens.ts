import { effect } from "@preact/signals";
import { authApi } from "../client.ts";
import { logOut, OutboundError, refreshSession, type Session, type User } from "../sdk.ts";
import { readPushRecord } from "../preferences.ts";
import { endPush } from "./end_push.ts";
import {
  type Ending,
  ending,
  endSession,
  joinSession,
  type LoggedIn,
  renewSession,
  session,
} from "./session.ts";

/** A token that expires sooner is replaced before it is used. */
const MARGIN_MS = 5 * 60_000;

/** Another tab responds sooner; without one, a request in an hour waits this long. */
const ANSWER_MS = 250;

/** The tabs of a browser send each other these. One without a session has no id to name: it takes what it gets. */
type Message =
  | { kind: "wanted" }
  | { id: string; kind: "ask" }
  | { id: string; kind: "tokens"; session: LoggedIn }
  | { id: string; kind: "ended"; reason: Ending };

const otherTabs = new BroadcastChannel("outbound-console.session");

const say = (message: Message) => otherTabs.postMessage(message);

/** The parts of a session, from the response to a log-in or from the link of an e-mail. */
type Tokens = Pick<Session, "access_token" | "refresh_token" | "expires_in"> & {
  user: Pick<User, "id" | "email" | "user_metadata">;
};

/** Returns the session that tokens begin, or go on with. */
export function sessionOf(
  { access_token, refresh_token, expires_in, user }: Tokens,
  id: string = crypto.getRandomValues(new Uint32Array(4)).join("-"),
): LoggedIn {
  return {
    id,
    token: access_token,
    refreshToken: refresh_token,
    userId: user.id,
    expiresAt: Date.now() + expires_in * 1000,
    email: user.email ?? "",
    name: user.user_metadata.name,
  };
}

/** Goes on with the next tokens of the session, in all tabs. */
export function goOnWith(tokens: Tokens): void {
  const current = session.peek();
  if (current === undefined) return;
  const next = sessionOf(tokens, current.id);
  renewSession(next);
  say({ id: next.id, kind: "tokens", session: next });
}

/** Asks the other tabs for their session, and waits a moment for it. */
export async function askForSession(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ANSWER_MS);
  const join = ({ data }: MessageEvent<Message>) => {
    if (data.kind !== "tokens") return;
    joinSession(data.session);
    resolve();
  };
  otherTabs.addEventListener("message", join);
  say({ kind: "wanted" });
  await promise;
  otherTabs.removeEventListener("message", join);
  clearTimeout(timer);
}

/**
 * Begins and ends sessions in all tabs, and ends them at the server as well.
 *
 * @param mayJoin whether this tab takes over a session that begins in another one
 */
export function followTokens(mayJoin: () => boolean): void {
  let previous: LoggedIn | undefined;
  effect(() => {
    const now = session.value;
    if (now && now.id !== previous?.id) {
      say({ id: now.id, kind: "tokens", session: now });
      if (readPushRecord()?.userId !== now.userId) void endPush();
    }
    if (previous && previous.id !== now?.id) {
      say({ id: previous.id, kind: "ended", reason: ending.peek() ?? "left" });
      void leave(previous, ending.peek());
    }
    previous = now;
  });
  otherTabs.addEventListener("message", ({ data }: MessageEvent<Message>) => receive(data, mayJoin));
}

function receive(message: Message, mayJoin: () => boolean): void {
  const current = session.peek();
  if (message.kind === "wanted") {
    if (current) say({ id: current.id, kind: "tokens", session: current });
    return;
  }
  if (current === undefined && message.kind === "tokens" && mayJoin()) return joinSession(message.session);
  if (message.id !== current?.id) return;
  if (message.kind === "ask") say({ id: current.id, kind: "tokens", session: current });
  else if (message.kind === "ended") endSession(message.reason);
  else if (isOther(message.session, current) && message.session.expiresAt > current.expiresAt) {
    renewSession(message.session);
  }
}

/** Access tokens that are made within the same second read the same; a refresh token comes once. */
const isOther = (tokens: LoggedIn, current: LoggedIn) => tokens.refreshToken !== current.refreshToken;

/** Ends a session, and the notifications of a member who logs out: one who is away is still notified. */
async function leave(left: LoggedIn, reason: Ending | undefined): Promise<void> {
  if (reason === "left") await endPush(left.token);
  await logOutOf(left);
}

/** Ends a session at the server. If that fails, the session stays, but its tokens are discarded. */
export async function logOutOf(left: LoggedIn): Promise<void> {
  try {
    const token = left.expiresAt > Date.now() ? left.token : (await nextTokens(left)).access_token;
    await logOut({
      client: authApi(),
      headers: { Authorization: `Bearer ${token}` },
      keepalive: true,
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
  }
}

/**
 * Returns the token for a request, a new one if it is about to expire; empty without a session. Ends the session where the
 * server does not go on with it.
 *
 * @throws {OutboundError} where the token has expired and the server cannot be reached
 */
export async function currentToken(): Promise<string> {
  const current = session.peek();
  if (current && !isFresh(current)) await (renewal ??= renew(current.id));
  return session.peek()?.token ?? "";
}

/**
 * Returns the next token where the server no longer accepts one that seemed to last: a clock that was set back makes it
 * seem so. Empty where the session has ended.
 *
 * @throws {OutboundError} where the server cannot be reached
 */
export async function tokenAfter(refused: string): Promise<string> {
  const current = session.peek();
  if (current?.token === refused) {
    renewSession({ ...current, expiresAt: 0 });
    await (renewal ??= renew(current.id));
  }
  return session.peek()?.token ?? "";
}

let renewal: Promise<void> | undefined;

const isFresh = ({ expiresAt }: LoggedIn) => expiresAt - Date.now() > MARGIN_MS;

/** One tab after the other, because a refresh token that is used twice ends the session. */
async function renew(id: string): Promise<void> {
  try {
    // Pages without https have no locks.
    await (navigator.locks?.request(`outbound-console.${id}`, renewAlone) ?? renewAlone());
  } finally {
    renewal = undefined;
  }
}

async function renewAlone(): Promise<void> {
  await askOtherTabs();
  const current = session.peek();
  if (!current || isFresh(current)) return;
  try {
    goOnWith(await nextTokens(current));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.status === 401) endSession("expired");
    else if (current.expiresAt <= Date.now()) throw error;
  }
}

async function nextTokens({ refreshToken }: LoggedIn): Promise<Tokens> {
  return await refreshSession({ client: authApi(), body: { refresh_token: refreshToken } });
}

/** Takes over newer tokens of another tab: this one may have slept while they came. */
async function askOtherTabs(): Promise<void> {
  const current = session.peek();
  if (current === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ANSWER_MS);
  const stop = effect(() => {
    if (!session.value || isFresh(session.value)) resolve();
  });
  say({ id: current.id, kind: "ask" });
  await promise;
  stop();
  clearTimeout(timer);
}
