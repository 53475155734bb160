import { isChangedMeanwhile, type Problem } from "../data/problem.ts";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { Icon } from "./icon.tsx";
import { formatWords, problemWords } from "../i18n/codes.ts";
import { words } from "../i18n/words.ts";

/** Says what went wrong, and what to do about it, in the member's language: the page's own words, or those for the code. */
export function describeProblem({ code, message, status, details }: Problem): string {
  if (status === 0 && message !== "") return message;
  const { expected_format: format } = (details ?? {}) as { expected_format?: string };
  const expected = format && formatWords(format);
  return expected ? `${problemWords(code)} ${words().common.expected(expected)}.` : problemWords(code);
}

/** A refusal, with its code and the id to ask for help with. */
export function ErrorNotice({ problem, onRetry }: { problem: Problem; onRetry?: (() => void) | undefined }) {
  return (
    <div class="notice bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>{describeProblem(problem)}</p>
        {problem.requestId && (
          <p class="facts">
            {words().common.requestId} <code>{problem.requestId}</code>
            <Copy text={problem.requestId} />
          </p>
        )}
      </div>
      {onRetry && (
        <Button onPress={onRetry}>
          {isChangedMeanwhile(problem) ? words().common.reload : words().common.retry}
        </Button>
      )}
    </div>
  );
}
