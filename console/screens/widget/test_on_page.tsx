import { Copy } from "../../components/copy.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { embedWords } from "../../i18n/embed_words.ts";
import { bookmarkletOf } from "./bookmarklet.ts";

/** A bookmark that shows the widget on whichever page the member has open. */
export function TestOnPage({ embed, name }: { embed: string; name: string }) {
  const words = embedWords();
  const address = bookmarkletOf(embed, words.refused);

  function explain(event: Event): void {
    event.preventDefault();
    toast(words.drag);
  }

  return (
    <>
      <h3>{words.title}</h3>
      <p>{words.help}</p>
      <p class="with-copy">
        <a href={address} onClick={explain}>{words.link(name)}</a>
        <Copy text={address} label={words.copy} />
      </p>
      <p>{words.limits}</p>
    </>
  );
}
