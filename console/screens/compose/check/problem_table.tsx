import type { ComponentChildren } from "preact";
import { link } from "../../../data/company.ts";
import { changeQuery, route } from "../../../data/route.ts";
import type { UploadDryRun } from "../../../data/sdk.ts";
import { Section } from "../../../components/page_head.tsx";
import { PlainTable } from "../../../components/table/plain_table.tsx";
import { Button } from "../../../components/button.tsx";
import { rowAdvice, rowProblem } from "../../../i18n/codes.ts";
import { count } from "../../../i18n/format.ts";
import type { Ready } from "../draft.ts";
import { rowReason } from "./row_reason.ts";
import { words } from "../../../i18n/words.ts";

/** The rows that cannot be sent to: how many for which reason, and each with what to do. */
export function ProblemTable({ dryRun: { problems, by_code: counts }, ready, actions }: {
  dryRun: UploadDryRun;
  ready: Ready;
  actions: ComponentChildren;
}) {
  const names = words().compose;
  const { query } = route.value;
  const only = query.code;
  if (counts.length === 0) return <p class="facts step-end">{names.noProblems}</p>;
  const shown = only ? problems.filter(({ code }) => code === only) : problems;
  const todo = new Map(
    counts.map(({ code, what_to_do }) => [code, names.ownAdvice[code] ?? rowAdvice(code, what_to_do)]),
  );
  const isCut = counts.reduce((sum, each) => sum + each.count, 0) > problems.length;
  return (
    <Section
      title={names.problems}
      actions={
        <>
          {only && (
            <Button kind="quiet" onPress={() => changeQuery({ code: undefined })}>{names.allCodes}</Button>
          )}
          {actions}
        </>
      }
    >
      <PlainTable
        rows={counts}
        keyOf={({ code }) => code}
        columns={[
          { title: names.code, cell: ({ code }) => rowProblem(code) },
          {
            title: names.rows,
            align: "end",
            cell: ({ code, count: rows }) => <a href={link(["compose"], { ...query, code })}>{count(rows)}
            </a>,
          },
          { title: names.todo, cell: ({ code }) => todo.get(code) },
        ]}
      />
      <div class="sample problems" tabIndex={0} role="region" aria-label={names.problems}>
        <table>
          <caption class="unseen">{names.problems}</caption>
          <thead>
            <tr>
              <th scope="col" class="end">{names.row}</th>
              <th scope="col">{names.number}</th>
              <th scope="col">{names.field}</th>
              <th scope="col">{names.code}</th>
              <th scope="col">{names.todo}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((problem) => (
              <tr key={problem.row}>
                <td class="end">{count(problem.row)}</td>
                <td>{problem.recipient ?? "–"}</td>
                <td>{problem.column ?? "–"}</td>
                <td class="wrap">{rowReason(problem, ready)}</td>
                <td class="wrap">{todo.get(problem.code)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isCut && <p class="help">{names.problemsShown}</p>}
    </Section>
  );
}
