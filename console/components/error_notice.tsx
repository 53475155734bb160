import { isChangedMeanwhile, type Problem } from "../data/problem.ts";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { Icon } from "./icon.tsx";
import { words } from "../i18n/words.ts";

/** Problems that our own words describe in full. */
const OWN_WORDS = new Set(["page_error", "precondition_failed"]);

/** Says what went wrong, and what to do about it. */
export function describeProblem({ code, message }: Problem): string {
  const advice = words().problems[code] ?? words().common.otherProblem;
  return message === "" || OWN_WORDS.has(code) ? advice : `${message.replace(/\.$/, "")}. ${advice}`;
}

/** A refusal, with its code and the id to ask for help with. */
export function ErrorNotice({ problem, onRetry }: { problem: Problem; onRetry?: (() => void) | undefined }) {
  return (
    <div class="notice bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>{describeProblem(problem)}</p>
        <p class="facts">
          <code>{problem.code}</code>
          {problem.requestId && (
            <>
              {words().common.requestId} <code>{problem.requestId}</code>
              <Copy text={problem.requestId} />
            </>
          )}
        </p>
      </div>
      {onRetry && (
        <Button onPress={onRetry}>
          {isChangedMeanwhile(problem) ? words().common.reload : words().common.retry}
        </Button>
      )}
    </div>
  );
}
