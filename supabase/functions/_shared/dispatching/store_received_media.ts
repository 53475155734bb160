import { startDeadline } from "../concurrency/deadline.ts";
import { createWakeSignal } from "../concurrency/wake_signal.ts";
import {
  type ClaimedMedia,
  claimReceivedMedia,
  failReceivedMedia,
  type MediaFailure,
} from "../db/media/received_media.ts";
import { AppError } from "../errors.ts";
import { FILE_TOO_LARGE } from "../gateways/fetch_file.ts";
import { isNotClean } from "../gateways/scan_file.ts";
import { MEDIA_GONE } from "../gateways/whatsapp/fetch_media.ts";
import { describeError } from "../log.ts";
import { fetchReceived, storeReceived } from "../media/received_file.ts";
import type { Services } from "../services.ts";
import { spreadDelayS } from "../values/retry_delay.ts";

/** Files that a dispatcher fetches at once: each in the memory of a few parts, beside what is sent. */
const MAX_FILES = 4;
/** A hundred megabytes take a while. */
const TRANSFER_MS = 120_000;
/** Of a dispatcher that stops: less than an orchestrator waits before it kills. */
const LAST_TRANSFERS_MS = 10_000;
/** Longer than a transfer, so that no other dispatcher begins the same one. */
const LEASE_S = 300;
/** A claim while others are in flight: what arrived since, and what is due again. */
const POLL_MS = 1000;

const FIRST_RETRY_S = 30;
const MAX_RETRY_S = 6 * 3600;
/** The platform deletes what people sent some time after that. */
const MAX_AGE_S = 7 * 86_400;

/**
 * Fetches what people sent from the platform and stores it, before the platform deletes it: until nothing more is due, or
 * `stopping` aborts. Companies have turns. A file that cannot be fetched now is due again later; a dispatcher that dies
 * leaves its files to another one after the lease.
 *
 * @param options `maxFiles`: how many are fetched at once, half of them of one company; `transferMs`: the longest time for
 * one file
 */
export async function storeReceivedMedia(
  services: Services,
  stopping: AbortSignal,
  { maxFiles = MAX_FILES, transferMs = TRANSFER_MS }: {
    maxFiles?: number | undefined;
    transferMs?: number;
  } = {},
): Promise<void> {
  const inFlight = new Map<Promise<void>, string>();
  const finished = createWakeSignal();
  const cutOff = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onStop = () => void (timer = setTimeout(() => cutOff.abort(), LAST_TRANSFERS_MS));
  stopping.addEventListener("abort", onStop, { once: true });

  function start(file: ClaimedMedia): void {
    const work = storeFile(services, file, { transferMs, stop: cutOff.signal }).finally(() => {
      inFlight.delete(work);
      finished.notify();
    });
    inFlight.set(work, file.company_id);
  }

  try {
    while (!stopping.aborted && services.mediaStore !== null) {
      const limit = maxFiles - inFlight.size;
      const except = busyCompanies([...inFlight.values()], Math.ceil(maxFiles / 2));
      const claimed = limit > 0
        ? await claimReceivedMedia(services.sql, { limit, leaseS: LEASE_S, except })
        : [];
      claimed.forEach(start);
      if (inFlight.size === 0) return;
      if (claimed.length === 0) await finished.wait(POLL_MS, stopping);
    }
  } finally {
    await Promise.all(inFlight.keys());
    stopping.removeEventListener("abort", onStop);
    clearTimeout(timer);
  }
}

/** Returns the companies with so many files in flight: the other slots are for those whose platform is not as slow. */
function busyCompanies(companies: string[], maxPerCompany: number): string[] {
  return companies.filter((id) => companies.filter((each) => each === id).length >= maxPerCompany);
}

/** Stores one file, or records why not. Never throws: where nothing can be recorded, the lease runs out. */
async function storeFile(
  services: Services,
  file: ClaimedMedia,
  { transferMs, stop }: { transferMs: number; stop: AbortSignal },
): Promise<void> {
  const { sql, log, now, random } = services;
  const ids = { company_id: file.company_id, message_id: file.message_id };
  const deadline = startDeadline(transferMs, stop);
  try {
    const failure = await tryToStore(services, file, deadline.signal);
    if (failure === null) return;
    const retryInS = retryDelayS(file.attempt, random());
    const endsInS = file.created_at.getTime() / 1000 + MAX_AGE_S - now().getTime() / 1000;
    const isOver = failure.isFinal || retryInS > endsInS;
    const { code, reason } = failure;
    await failReceivedMedia(sql, file, { code, reason, retryInS: isOver ? null : retryInS });
    const message = isOver ? "a file that a person sent is not stored" : "a file that a person sent waits";
    log[isOver ? "warn" : "info"](message, { ...ids, code, reason, attempt: file.attempt });
  } catch (error) {
    log.warn("a file that a person sent waits for its lease to run out", { ...ids, ...describeError(error) });
  } finally {
    deadline.clear();
  }
}

/** Returns the seconds until a file is fetched again, after its first, second, … failed attempt. */
function retryDelayS(attempt: number, random: number): number {
  return spreadDelayS(Math.min(FIRST_RETRY_S * 2 ** (attempt - 1), MAX_RETRY_S), random);
}

/** Why a file is not stored now; a final failure is not retried. */
type Failure = Pick<MediaFailure, "code" | "reason"> & { isFinal: boolean };

const GONE: Failure = { code: "gone", reason: "The platform no longer has this file", isFinal: true };
const TOO_LARGE: Failure = { code: "too_large", reason: "The file is larger than 100 MB", isFinal: true };
const NOT_CLEAN: Failure = {
  code: "not_clean",
  reason: "The virus scanner does not let this file through",
  isFinal: true,
};
const NO_ROOM: Failure = {
  code: "quota_exceeded",
  reason:
    "The company's media have no room for this file: remove files that you do not need, then download this one",
  isFinal: true,
};

/** Fetches and stores one file. Returns why that failed; null when the file is stored, or its message is gone. */
async function tryToStore(
  services: Services,
  message: ClaimedMedia,
  signal: AbortSignal,
): Promise<Failure | null> {
  const ids = { companyId: message.company_id, messageId: message.message_id };
  try {
    const file = await fetchReceived(services, ids.companyId, message, { signal });
    if (file === MEDIA_GONE) return GONE;
    if (file === FILE_TOO_LARGE) return TOO_LARGE;
    await storeReceived(services, ids, message, file);
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code === "quota_exceeded") return NO_ROOM;
    if (isNotClean(error)) return NOT_CLEAN;
    if (error instanceof AppError) return { code: "unavailable", reason: error.message, isFinal: false };
    services.log.warn("a file that a person sent broke off", {
      company_id: ids.companyId,
      ...describeError(error),
    });
    return {
      code: "unavailable",
      reason: "The file did not arrive whole, or could not be stored",
      isFinal: false,
    };
  }
}
