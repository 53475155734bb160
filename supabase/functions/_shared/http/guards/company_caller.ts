import { z } from "@hono/zod-openapi";
import type { Effect } from "../../access/effects.ts";
import {
  limitedToSenders,
  mayUseSender,
  permissionMissing,
  senderForbidden,
} from "../../access/key_refusal.ts";
import {
  CHANNEL_PERMISSIONS,
  type ChannelName,
  CHANNELS,
  type KeyPermission,
  TEST_PERMISSIONS,
} from "../../access/permissions.ts";
import { isTestKey } from "../../access/new_keys.ts";
import { mayActAs, type Role } from "../../access/roles.ts";
import type { Actor } from "../../db/access/audit.ts";
import type { KeyState } from "../../db/queue/send_context.ts";
import { AppError } from "../../errors.ts";
import type { AppContext } from "../app/context.ts";
import {
  credentialOf,
  givenKey,
  presentedKeyHash,
  refuseFromMemory,
  requireApiAccess,
  useKey,
} from "./access_key.ts";
import { requireSignedIn } from "./require_signed_in.ts";

/** Whom a request acts for: the holder of a company's access key, or a user. */
export type Identity =
  | { kind: "key"; keyHash: string; key: KeyState }
  | { kind: "user"; userId: string };

/**
 * Returns whom a request acts for, by its access key or access token. Counts a request of a key, so that nothing is
 * read for one that is refused.
 *
 * Throws `unauthorized`, and what `presentedKeyHash`, `useKey` and `requireSignedIn` throw.
 *
 * @param options `ofApp`: whether the token may be one that the user let an app have
 */
export async function identifyCaller(c: AppContext, options: { ofApp?: boolean } = {}): Promise<Identity> {
  const credential = credentialOf(c);
  if (credential === "none") {
    throw new AppError(
      "unauthorized",
      "Send Authorization: Bearer with your company's access key or your access token",
    );
  }
  if (credential === "token") return { kind: "user", userId: await requireSignedIn(c, options) };
  const keyHash = presentedKeyHash(c);
  refuseFromMemory(c, { keyHash });
  // The routes and tools check the sender: see requireCaller and requireBusinessAccount.
  return { kind: "key", keyHash, key: await useKey(c, { keyHash, checksSender: true }) };
}

/** The needs of a route or tool: of a member the role, of a key the permission. */
export interface CompanyAccess {
  /** The least role of a member. */
  role: Role;
  /** `channel`: that of the campaign's channel. Null: no key opens it. */
  permission: KeyPermission | "channel" | null;
  /** It is about one sender, and checks it. Without that, a key that is limited to senders is refused. */
  checksSender?: boolean;
  /** Members of a test company may use it though no key of one does. */
  inTest?: boolean;
}

/** A caller in one company: a member, or the company's access key. */
export interface CompanyCaller {
  companyId: string;
  /** The company's. */
  api_access: boolean;
  /** The company is a test company. */
  isTest: boolean;
  /** The channels whose campaigns the caller may see and send. */
  channels: ChannelName[];
  /** Whether the caller may send to stored contacts: a member, or a key with the permission `contacts`. */
  mayReadPeople: boolean;
  /** The senders that the caller may use; null for all. */
  senderIds: string[] | null;
  /** The member; null for a key. */
  member: { userId: string; role: Role } | null;
  /** The key, for which counts what it sends; null for a member. */
  key: { id: string; hash: string } | null;
  /** For the audit. */
  by: Actor;
}

/**
 * Returns the caller of a company, if it may do what is asked. `mine` names the company of a key.
 *
 * Throws `not_found` for a company that is not the caller's, so that callers do not learn which companies exist;
 * `forbidden` for a role that is too small, for a key where only members may act, and for one that is limited to senders
 * where none is checked; `permission_missing` and `api_access_off`.
 */
export async function requireCaller(
  c: AppContext,
  identity: Identity,
  companyId: string | undefined,
  needs: CompanyAccess & { effect: Effect },
): Promise<CompanyCaller> {
  return identity.kind === "key"
    ? keyCaller(c, identity, companyId, needs)
    : await memberCaller(c, identity.userId, companyId, needs);
}

function keyCaller(
  c: AppContext,
  { key, keyHash }: Identity & { kind: "key" },
  companyId: string | undefined,
  { permission, effect, checksSender }: CompanyAccess & { effect: Effect },
): CompanyCaller {
  if (permission === null) {
    throw new AppError("forbidden", "No access key may do this: log in, and send your access token");
  }
  if (companyId !== "mine" && companyId?.toLowerCase() !== key.company_id) throw companyNotFound();
  requireApiAccess(key, effect);
  const channels = CHANNELS.filter((channel) => key.permissions.includes(CHANNEL_PERMISSIONS[channel]));
  const isMissing = permission === "channel" ? channels.length === 0 : !key.permissions.includes(permission);
  if (isMissing) {
    throw AppError.from(
      permissionMissing(permission === "channel" ? CHANNEL_PERMISSIONS.whatsapp : permission),
    );
  }
  if (key.sender_ids !== null && !checksSender) throw AppError.from(limitedToSenders());
  return {
    companyId: key.company_id,
    api_access: key.api_access,
    isTest: isTestKey(givenKey(c)!),
    channels,
    mayReadPeople: key.permissions.includes("people"),
    senderIds: key.sender_ids,
    member: null,
    key: { id: key.api_key_id, hash: keyHash },
    by: { actor: `key:${key.api_key_id}`, requestId: c.get("requestId") },
  };
}

async function memberCaller(
  c: AppContext,
  userId: string,
  givenCompany: string | undefined,
  { role: required, permission, effect, inTest }: CompanyAccess & { effect: Effect },
): Promise<CompanyCaller> {
  const companyId = z.guid().safeParse(givenCompany).data?.toLowerCase();
  const rights = companyId ? await c.get("services").memberRights.get({ userId, companyId }) : null;
  if (!companyId || rights === null) throw companyNotFound();
  const { role, api_access, is_test } = rights;
  c.set("companyId", companyId);
  if (!mayActAs(role, required)) {
    throw new AppError("forbidden", `Only members with the role ${required} may do this; you are ${role}`, {
      details: { role, required },
    });
  }
  requireApiAccess({ api_access }, effect);
  if (is_test && !inTest && !isOfTest(permission)) {
    throw new AppError("forbidden", "A test company has no such thing: use the live company");
  }
  return {
    companyId,
    api_access,
    isTest: is_test,
    channels: CHANNELS,
    mayReadPeople: true,
    senderIds: null,
    member: { userId, role },
    key: null,
    by: { actor: `user:${userId}`, requestId: c.get("requestId") },
  };
}

/** Returns whether a key of a test company may have the permission. */
function isOfTest(permission: CompanyAccess["permission"]): boolean {
  return permission === "channel" || (permission !== null && TEST_PERMISSIONS.includes(permission));
}

function companyNotFound(): AppError {
  return new AppError("not_found", "Company not found");
}

/** Throws `permission_missing` for a channel whose campaigns the caller may not see. */
export function requireChannel({ channels }: CompanyCaller, channel: ChannelName): void {
  if (!channels.includes(channel)) throw AppError.from(permissionMissing(CHANNEL_PERMISSIONS[channel]));
}

/** Throws `sender_forbidden` for a sender that the caller may not use. */
export function requireSender({ senderIds }: CompanyCaller, senderId: string): void {
  if (!mayUseSender({ sender_ids: senderIds }, senderId)) throw AppError.from(senderForbidden(senderId));
}

/** Throws `permission_missing` for a key that may not use stored contacts. */
export function requirePeople({ mayReadPeople }: CompanyCaller): void {
  if (!mayReadPeople) throw AppError.from(permissionMissing("people"));
}

/**
 * Returns the channel that a list is limited to; undefined where it shows all. Throws `permission_missing` for one that
 * the caller may not see.
 */
export function onlyChannel(caller: CompanyCaller, asked?: ChannelName): ChannelName | undefined {
  if (asked !== undefined) requireChannel(caller, asked);
  return asked ?? (caller.channels.length === 1 ? caller.channels[0] : undefined);
}
