import type { User } from "@supabase/auth-js";

/** The states of a member's account at the auth server. */
export const ACCOUNT_STATES = ["active", "invited", "banned", "gone"] as const;

/** A member as the auth server knows them. */
export interface Account {
  /** Null when the auth server no longer has the user, or has no e-mail of them. */
  email: string | null;
  name: string | null;
  /** `invited`: has not followed the invitation yet; `gone`: the auth server no longer has the user. */
  state: typeof ACCOUNT_STATES[number];
  lastSignInAt: Date | null;
}

/** Returns what is shown of a user; undefined is one who is gone. */
export function describeAccount(user: User | undefined): Account {
  if (!user) return { email: null, name: null, state: "gone", lastSignInAt: null };
  const { email, user_metadata, last_sign_in_at } = user;
  return {
    email: email || null,
    name: typeof user_metadata.name === "string" ? user_metadata.name : null,
    state: stateOf(user),
    lastSignInAt: last_sign_in_at ? new Date(last_sign_in_at) : null,
  };
}

function stateOf({ banned_until, invited_at, email_confirmed_at }: User): Account["state"] {
  if (banned_until && new Date(banned_until) > new Date()) return "banned";
  return invited_at && !email_confirmed_at ? "invited" : "active";
}

/** The names of a member. */
export interface MemberName {
  /** As colleagues see it. */
  name: string | null;
  /** As visitors of a website see it: the first name, and never a part of the e-mail. */
  firstName: string | null;
}

/** Returns the names of a user. */
export function namesOfUser(user: User | undefined): MemberName {
  const [firstName] = describeAccount(user).name?.trim().split(/\s+/) ?? [];
  const isAddress = firstName?.includes("@");
  return { name: nameOfUser(user), firstName: !firstName || isAddress ? null : firstName.slice(0, 100) };
}

/** Returns the name that colleagues see: the user's own, or else the first part of the e-mail. */
export function nameOfUser(user: User | undefined): string | null {
  const { name, email } = describeAccount(user);
  return name ?? email?.split("@")[0] ?? null;
}
