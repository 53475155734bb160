import { useState } from "preact/hooks";
import { Problem } from "../../../data/problem.ts";
import type { FileFault } from "../../../i18n/codes.ts";
import type { ContactFile } from "../upload/contact_file.ts";
import { readContactFile } from "../upload/read_contact_file.ts";

/** How a file of contacts is taken. */
export interface FileChoice {
  take(file: File | undefined): Promise<void>;
  isReading: boolean;
  /** Why the last file cannot be read. */
  fault: FileFault | undefined;
  problem: Problem | undefined;
}

/** Reads a file that a person chooses, and passes it on if it can be read. */
export function useFileChoice(onFile: (file: ContactFile) => void): FileChoice {
  const [isReading, setReading] = useState(false);
  const [fault, setFault] = useState<FileFault>();
  const [problem, setProblem] = useState<Problem>();

  async function take(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    setProblem(undefined);
    setFault(undefined);
    setReading(true);
    try {
      const read = await readContactFile(file);
      if (typeof read === "string") setFault(read);
      else onFile(read);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setReading(false);
    }
  }

  return { take, isReading, fault, problem };
}
