import { useRef } from "preact/hooks";
import { Button, type ButtonProps } from "./button.tsx";

/** A button that opens the browser's choice of a file. */
export function FileButton({ label, inputLabel = label, accept, kind, onTake }: {
  label: string;
  /** The name of the field that takes the file. */
  inputLabel?: string;
  accept: string;
  kind?: ButtonProps["kind"];
  onTake: (file: File | undefined) => Promise<void>;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button kind={kind ?? "plain"} onPress={() => input.current?.click()}>{label}</Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={inputLabel}
        accept={accept}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          void onTake(file);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}
