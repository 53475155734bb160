import { type ArchivedCampaign, readArchivedCampaigns } from "../db/archive/archived_campaigns.ts";
import { readFilesBefore, type SearchedFile } from "../db/archive/archive_files.ts";
import type { ArchivedRow } from "../db/archive/archived_rows.ts";
import type { Services } from "../services.ts";
import { openArchive } from "./archive_reader.ts";

/** The services that the archive is read with. */
export interface SearchServices extends Pick<Services, "sql" | "mediaStore"> {
  log: Pick<Services["log"], "error">;
}

/** An archived message to a person, and its campaign. */
export interface FoundRow {
  row: ArchivedRow;
  campaign: ArchivedCampaign | undefined;
}

/** A file of the archive in which a person is looked for. */
export interface ArchiveHit {
  fileId: string;
  /** Its newest notification. */
  lastId: string;
  /** Returns what it has of the person, in the order of acceptance; null when it cannot be read, which is logged. */
  read(): Promise<FoundRow[] | null>;
}

const AFTER_ALL = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Returns the files that may hold notifications to a person, the newest first. Nothing is read before it is asked for. */
export async function searchArchive(
  services: SearchServices,
  { companyId, addresses, beforeId = AFTER_ALL }: {
    companyId: string;
    addresses: string[];
    beforeId?: string;
  },
): Promise<ArchiveHit[]> {
  const files = await readFilesBefore(services.sql, companyId, beforeId);
  return files.map((file) => ({
    fileId: file.id,
    lastId: file.last_id,
    read: () => readRows(services, { companyId, addresses, file }),
  }));
}

async function readRows(
  { sql, mediaStore, log }: SearchServices,
  { companyId, addresses, file }: { companyId: string; addresses: string[]; file: SearchedFile },
): Promise<FoundRow[] | null> {
  const known = addresses.filter((address) => !file.erased.includes(address));
  if (known.length === 0) return [];
  try {
    if (mediaStore === null) throw new Error("No media store is set up here");
    const found = await (await openArchive(mediaStore, companyId, file)).find(known);
    const isErased = (address: string | null) => address !== null && file.erased.includes(address);
    const rows = found.filter(({ number, user_id }) => !isErased(number) && !isErased(user_id))
      .sort((a, b) => a.id! < b.id! ? -1 : 1);
    const campaigns = await readArchivedCampaigns(sql, companyId, [
      ...new Set(rows.map((row) => row.campaign_id!)),
    ]);
    return rows.map((row) => ({ row, campaign: campaigns.get(row.campaign_id!) }));
  } catch (error) {
    log.error("a file of the archive cannot be read", { file_id: file.id, reason: (error as Error).message });
    return null;
  }
}
