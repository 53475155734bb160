import type { UploadDryRun } from "../../../data/sdk.ts";
import { Notice } from "../../../components/notice.tsx";
import { moment } from "../../../i18n/format.ts";
import { words } from "../../../i18n/words.ts";

/** Those about single rows are problems of the rows; the countries have a line of their own. */
const SHOWN_ELSEWHERE = new Set<string>([
  "new_country",
  "sending_hours",
  "rules_unreadable",
  "marketing_cooldown",
  "frequency_cap",
  "call_gap",
]);

type Warning = UploadDryRun["warnings"][number];

/** The probable mistakes, and the reasons for which all of it waits: each kind once. */
export function Warnings({ warnings }: { warnings: Warning[] }) {
  const { warningHelp, waitsUntil } = words().compose;
  const shown = new Map(
    warnings.filter(({ code }) => !SHOWN_ELSEWHERE.has(code)).map((each) => [titleOf(each), each]),
  );
  return (
    <>
      {[...shown].map(([title, { code, until }]) => (
        <Notice key={title} title={title}>
          {[
            until && waitsUntil(moment(until, { style: "zoned" })),
            Object.hasOwn(warningHelp, code) && warningHelp[code],
          ].filter(Boolean).join(" ")}
        </Notice>
      ))}
    </>
  );
}

function titleOf({ code, contacts = 0 }: Warning): string {
  const titles = words().compose.warnings;
  return (Object.hasOwn(titles, code) ? titles[code as keyof typeof titles] : titles.other)(contacts);
}
