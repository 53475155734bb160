import type { Problem } from "../data/problem.ts";
import { fileFaultOf, fileFaults } from "../i18n/file_faults.ts";
import { ErrorNotice } from "./error_notice.tsx";

/** Says what went wrong with a file. */
export function FileProblem({ problem }: { problem: Problem }) {
  const fault = fileFaultOf(problem);
  return fault ? <p class="error" role="alert">{fileFaults()[fault]}</p> : <ErrorNotice problem={problem} />;
}
