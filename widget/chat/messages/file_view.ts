import { drawIcon, makeElement } from "../../shared/page.ts";
import { CHAT_ICONS } from "../chat_icons.ts";
import type { ChatFile, FileLink } from "../schemas.ts";
import type { Texts } from "../texts.ts";

/** Returns a link to the file of a stored message. Rejects where there is none any more. */
export type LinkFile = (sequence: number) => Promise<FileLink>;

export interface FileViewOptions {
  file: ChatFile;
  texts: Texts;
  language: string;
  linkFile: LinkFile;
}

/** The file of a message: a preview of an image, or its name and size to download it. */
export interface FileView {
  element: HTMLElement;
  /** The message is stored under this number: its file can be opened. */
  open(sequence: number): void;
}

/** How far outside the view a file begins to load. */
const MARGIN = "300px";
/** A link that ends sooner is replaced before it is used. */
const MIN_LEFT_MS = 60_000;

/** Makes the view of a file. It asks for a link when it comes near the view, and for another one when that has ended. */
export function createFileView({ file, texts, language, linkFile }: FileViewOptions): FileView {
  const isImage = file.content_type.startsWith("image/");
  const element = makeElement("a", {
    class: "file",
    target: "_blank",
    rel: "noopener noreferrer",
    dir: "auto",
  });
  let link: FileLink | undefined;

  function showName(note: string): void {
    element.replaceChildren(
      drawIcon(CHAT_ICONS.file),
      makeElement(
        "span",
        {},
        makeElement("b", {}, file.file_name),
        makeElement("small", {}, note),
      ),
    );
  }

  function showImage(url: string): void {
    const { width, height } = file;
    const image = makeElement("img", {
      src: url,
      alt: file.file_name,
      width,
      height,
      referrerpolicy: "no-referrer",
    });
    image.addEventListener("error", () => {
      element.classList.remove("image");
      showName(describeFile(file, language));
    }, { once: true });
    element.classList.add("image");
    element.replaceChildren(image);
  }

  async function load(sequence: number): Promise<void> {
    try {
      link = await linkFile(sequence);
      element.href = link.url;
      if (isImage && !element.querySelector("img")) showImage(link.url);
    } catch (error) {
      if ((error as { status?: number }).status !== 404) return;
      element.classList.add("gone");
      element.removeAttribute("href");
      showName(texts("file_gone"));
    }
  }

  showName(describeFile(file, language));
  return {
    element,
    open(sequence) {
      whenNear(element, () => load(sequence));
      element.addEventListener("click", (event) => {
        if (element.classList.contains("gone")) return;
        if (link && Date.parse(link.expires_at) - Date.now() > MIN_LEFT_MS) return;
        event.preventDefault();
        void load(sequence).then(() => element.hasAttribute("href") && element.click());
      });
    },
  };
}

/** Calls `act` once, when the element comes near the view. */
export function whenNear(element: Element, act: () => void): void {
  const watcher = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    watcher.disconnect();
    act();
  }, { rootMargin: MARGIN });
  watcher.observe(element);
}

/** Describes a file by the ending of its name and its size: `PDF · 48 kB`. */
function describeFile({ file_name, bytes }: ChatFile, language: string): string {
  const ending = /\.(\w{1,5})$/.exec(file_name)?.[1]?.toUpperCase();
  return [ending, sizeOf(bytes, language)].filter(Boolean).join(" · ");
}

function sizeOf(bytes: number, language: string): string {
  const [unit, size] = bytes < 1000 * 1000
    ? ["kilobyte", Math.max(bytes / 1000, 0.1)]
    : ["megabyte", bytes / 1_000_000];
  const format = {
    style: "unit",
    unit: unit as string,
    maximumFractionDigits: Number(size) < 10 ? 1 : 0,
  } as const;
  return new Intl.NumberFormat(language, format).format(Number(size));
}
