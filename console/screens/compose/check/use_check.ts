import { useState } from "preact/hooks";
import { Problem } from "../../../data/problem.ts";
import type { UploadDryRun } from "../../../data/sdk.ts";
import type { ContactFile } from "../upload/contact_file.ts";
import { planOf, type Ready } from "../draft.ts";
import { dryRunFile, prepareUpload } from "../upload/upload.ts";

/** The check of a file for an upload. */
export interface Checked {
  uploadId: string;
  file: ContactFile;
  dryRun: UploadDryRun;
}

export interface Check {
  /** Undefined until it is done, and once anything has changed since. */
  checked: Checked | undefined;
  /** Whether there was an earlier one, which no longer holds. */
  isOld: boolean;
  isChecking: boolean;
  problem: Problem | undefined;
  check(): Promise<void>;
}

/** Checks all rows of a file by a dry run, and keeps the result for as long as it holds. */
export function useCheck(ready: Ready | undefined): Check {
  const [last, setLast] = useState<{ plan: string; checked: Checked }>();
  const [isChecking, setChecking] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const plan = ready && JSON.stringify(planOf(ready));
  const holds = last !== undefined && last.plan === plan && last.checked.file === ready?.file;

  async function check(): Promise<void> {
    if (!ready) return;
    setChecking(true);
    setProblem(undefined);
    try {
      const { file } = ready;
      const uploadId = await prepareUpload(planOf(ready));
      setLast({ plan: plan!, checked: { uploadId, file, dryRun: await dryRunFile(uploadId, file) } });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setChecking(false);
    }
  }

  return {
    checked: holds ? last.checked : undefined,
    isOld: last !== undefined && !holds,
    isChecking,
    problem,
    check,
  };
}
