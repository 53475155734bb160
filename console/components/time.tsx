import { moment } from "../i18n/format.ts";
import { words } from "../i18n/words.ts";

/** A moment in the viewer's time zone; the other one, UTC unless it is given, shows on hover. */
export function Time({ at, zone = "UTC", style }: {
  at: string | number | null;
  zone?: string | null | undefined;
  style?: "short" | "full" | "clock" | "zoned";
}) {
  if (at === null) return <span class="none">–</span>;
  const other = zone ?? "UTC";
  const title = `${moment(at, { zone: other, style: "full" })} (${
    other === "UTC" ? words().common.utc : other
  })`;
  return (
    <time dateTime={new Date(at).toISOString()} title={title}>{moment(at, { ...(style && { style }) })}</time>
  );
}
