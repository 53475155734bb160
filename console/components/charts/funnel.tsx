import { count, percent } from "../../i18n/format.ts";

export interface Step {
  name: string;
  value: number;
  /** Leads to what is counted. */
  href?: string | undefined;
}

const ROW = 40;
const BAR = 12;

/** How many of a whole reached each step, as bars, numbers and shares: of the first step, and of the one before. */
export function Funnel({ label, steps, ofBefore }: {
  label: string;
  steps: Step[];
  /** Says what the second share is of: "97 % of sent". */
  ofBefore: (share: string, before: string) => string;
}) {
  const whole = steps[0]?.value ?? 0;
  return (
    <ol class="funnel" aria-label={label}>
      {steps.map(({ name, value, href }, index) => {
        const before = steps[index - 1];
        const content = (
          <>
            <span class="funnel-name">{name}</span>
            <span class="funnel-value">{count(value)}</span>
            <span class="funnel-share">{index === 0 ? "" : percent(value, whole)}</span>
          </>
        );
        return (
          <li key={name} title={before && ofBefore(percent(value, before.value), before.name)}>
            {href ? <a href={href}>{content}</a> : <span>{content}</span>}
            <svg
              class="bar"
              viewBox={`0 0 100 ${BAR}`}
              preserveAspectRatio="none"
              aria-hidden="true"
              height={ROW - 28}
            >
              <rect class="bar-track" width="100" height={BAR} />
              <rect class="bar-fill" width={whole === 0 ? 0 : (100 * value) / whole} height={BAR} />
            </svg>
          </li>
        );
      })}
    </ol>
  );
}
