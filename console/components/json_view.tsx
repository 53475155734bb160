import { Copy } from "./copy.tsx";

/** Data as it is, to read and to copy. */
export function JsonView({ value, label, text }: {
  value: unknown;
  label: string;
  /** The text that is copied, where every character counts. */
  text?: string;
}) {
  const shown = JSON.stringify(value, null, 2);
  return (
    <div class="json">
      <Copy text={text ?? shown} />
      <pre tabIndex={0} role="region" aria-label={label}>{shown}</pre>
    </div>
  );
}
