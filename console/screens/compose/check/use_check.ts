import { useState } from "preact/hooks";
import { Problem } from "../../../data/problem.ts";
import type { UploadDryRun } from "../../../data/sdk.ts";
import { isStored, type People, planOf, type Ready } from "../draft.ts";
import { dryRun, prepareUpload } from "../upload/upload.ts";

/** The check of everyone that an upload goes to. */
export interface Checked {
  uploadId: string;
  people: People;
  dryRun: UploadDryRun;
}

export interface Check {
  /** Undefined until it is done, and once anything has changed since. */
  checked: Checked | undefined;
  /** Whether there was an earlier one, which no longer holds. */
  isOld: boolean;
  isChecking: boolean;
  problem: Problem | undefined;
  /** Returns whether it was done. */
  check(): Promise<boolean>;
}

/** Checks everyone by a dry run, and keeps the result for as long as it holds. */
export function useCheck(ready: Ready | undefined): Check {
  const [last, setLast] = useState<{ plan: string; checked: Checked }>();
  const [isChecking, setChecking] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const plan = ready && JSON.stringify(planOf(ready));
  const holds = last !== undefined && last.plan === plan && ready !== undefined &&
    (isStored(ready.people) || last.checked.people === ready.people);

  async function check(): Promise<boolean> {
    if (!ready) return false;
    setChecking(true);
    setProblem(undefined);
    try {
      const { people } = ready;
      const uploadId = await prepareUpload(planOf(ready));
      setLast({ plan: plan!, checked: { uploadId, people, dryRun: await dryRun(uploadId, people) } });
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      return false;
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
