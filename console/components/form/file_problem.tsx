import type { Problem } from "../../data/problem.ts";
import { fileFaultOf } from "../../i18n/codes.ts";
import { words } from "../../i18n/words.ts";
import { ErrorNotice } from "../error_notice.tsx";

/** Says what went wrong with a file. */
export function FileProblem({ problem }: { problem: Problem }) {
  const fault = fileFaultOf(problem);
  return fault
    ? <p class="error" role="alert">{words().fileFaults[fault]}</p>
    : <ErrorNotice problem={problem} />;
}
