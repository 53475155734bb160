import type { IdentityRow, UserRow } from "./users.ts";

/** The user as Supabase Auth answers it; times that were never set are left out. */
export function userBody(user: UserRow): Record<string, unknown> {
  return {
    id: user.id,
    aud: user.aud,
    role: user.role,
    email: user.email ?? "",
    ...time("email_confirmed_at", user.email_confirmed_at),
    ...time("invited_at", user.invited_at),
    phone: user.phone ?? "",
    ...time("confirmation_sent_at", user.confirmation_sent_at),
    ...time("confirmed_at", user.confirmed_at),
    ...time("recovery_sent_at", user.recovery_sent_at),
    ...time("last_sign_in_at", user.last_sign_in_at),
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    identities: user.identities.map(identityBody),
    created_at: user.created_at.toISOString(),
    updated_at: user.updated_at.toISOString(),
    ...time("banned_until", user.banned_until),
    is_anonymous: user.is_anonymous,
  };
}

function identityBody(identity: IdentityRow): Record<string, unknown> {
  return {
    identity_id: identity.id,
    id: identity.provider_id,
    user_id: identity.user_id,
    identity_data: identity.identity_data,
    provider: identity.provider,
    ...time("last_sign_in_at", identity.last_sign_in_at),
    ...time("created_at", identity.created_at),
    ...time("updated_at", identity.updated_at),
    ...(identity.email === null ? {} : { email: identity.email }),
  };
}

function time(name: string, value: Date | string | null): Record<string, string> {
  return value === null ? {} : { [name]: new Date(value).toISOString() };
}
