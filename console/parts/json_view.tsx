import { Copy } from "./copy.tsx";

/** Data as it is, to read and to copy. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div class="json">
      <Copy text={text} />
      <pre tabIndex={0} role="region" aria-label={label}>{text}</pre>
    </div>
  );
}
