import { unzipSync } from "fflate";
import { type NumberKind, numberKind, numberText } from "./cell_text.ts";
import { readXml } from "./read_xml.ts";

/** The parts of a workbook that hold what its first sheet shows. */
const NEEDED =
  /^xl\/(workbook\.xml|_rels\/workbook\.xml\.rels|sharedStrings\.xml|styles\.xml|worksheets\/.+\.xml)$/i;

/** More does not fit into the memory of a page. */
const MAX_UNZIPPED_BYTES = 512 * 1024 * 1024;

/** A column behind this one is a style of the whole row, not a cell. */
const MAX_COLUMNS = 1000;

/** Reads the rows of a workbook's first sheet, as texts. Throws where it is none that can be read. */
export function readXlsx(bytes: Uint8Array): string[][] {
  let unzipped = 0;
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) => NEEDED.test(name) && (unzipped += originalSize) <= MAX_UNZIPPED_BYTES,
  });
  const textOf = (name: string) => files[name] && new TextDecoder().decode(files[name]);
  const { path, is1904 } = firstSheet(textOf);
  const sheet = textOf(path);
  if (sheet === undefined) throw new Error(`The workbook has no ${path}`);
  return readSheet(sheet, {
    strings: readStrings(textOf("xl/sharedStrings.xml")),
    kinds: readKinds(textOf),
    is1904,
  });
}

type TextOf = (name: string) => string | undefined;

function firstSheet(textOf: TextOf): { path: string; is1904: boolean } {
  let id: string | undefined;
  let is1904 = false;
  readXml(textOf("xl/workbook.xml") ?? "", {
    open(name, attributes) {
      if (name === "workbookPr") is1904 = /^(1|true)$/.test(attributes.date1904 ?? "");
      if (name === "sheet" && attributes.state !== "hidden" && attributes.state !== "veryHidden") {
        id ??= Object.entries(attributes).find(([each]) => /(^|:)id$/.test(each))?.[1];
      }
    },
  });
  let path = "xl/worksheets/sheet1.xml";
  readXml(textOf("xl/_rels/workbook.xml.rels") ?? "", {
    open(name, { Id, Target = "" }) {
      if (name === "Relationship" && Id === id) {
        path = Target.startsWith("/") ? Target.slice(1) : `xl/${Target}`;
      }
    },
  });
  return { path, is1904 };
}

/** The texts that cells name by their number. Hints at the pronunciation are no part of them. */
function readStrings(xml: string | undefined): string[] {
  const strings: string[] = [];
  let isText = false;
  let isHint = false;
  if (xml === undefined) return strings;
  readXml(xml, {
    open(name) {
      if (name === "si") strings.push("");
      if (name === "rPh") isHint = true;
      if (name === "t") isText = !isHint;
    },
    text(text) {
      if (isText) strings[strings.length - 1] += text;
    },
    close(name) {
      if (name === "t") isText = false;
      if (name === "rPh") isHint = false;
    },
  });
  return strings;
}

/** Returns the meaning of the numbers of each style. */
function readKinds(textOf: TextOf): NumberKind[] {
  const codes = new Map<string, string>();
  const kinds: NumberKind[] = [];
  let isOfCells = false;
  readXml(textOf("xl/styles.xml") ?? "", {
    open(name, { numFmtId = "0", formatCode }) {
      if (name === "numFmt" && formatCode !== undefined) codes.set(numFmtId, unescaped(formatCode));
      if (name === "cellXfs") isOfCells = true;
      if (name === "xf" && isOfCells) kinds.push(numberKind(Number(numFmtId), codes.get(numFmtId)));
    },
    close(name) {
      if (name === "cellXfs") isOfCells = false;
    },
  });
  return kinds;
}

function unescaped(attribute: string): string {
  return attribute.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

interface Workbook {
  strings: string[];
  kinds: NumberKind[];
  is1904: boolean;
}

function readSheet(xml: string, { strings, kinds, is1904 }: Workbook): string[][] {
  const rows: string[][] = [];
  let cell: { column: number; type: string; style: number; text: string } | undefined;
  let column = 0;
  let isValue = false;
  readXml(xml, {
    open(name, { r, t = "n", s = "0" }) {
      if (name === "row") {
        rows.push([]);
        column = 0;
      }
      if (name === "c") {
        column = r === undefined ? column + 1 : columnOf(r);
        cell = { column, type: t, style: Number(s), text: "" };
      }
      if (name === "v" || name === "t") isValue = true;
    },
    text(text) {
      if (isValue && cell) cell.text += text;
    },
    close(name) {
      if (name === "v" || name === "t") isValue = false;
      if (name !== "c" || cell === undefined) return;
      if (cell.column <= MAX_COLUMNS) rows.at(-1)![cell.column - 1] = shown(cell);
      cell = undefined;
    },
  });

  function shown({ type, style, text }: NonNullable<typeof cell>): string {
    if (text === "" || type === "e") return "";
    if (type === "s") return strings[Number(text)] ?? "";
    if (type === "b") return text === "1" ? "TRUE" : "FALSE";
    return type === "n" ? numberText(text, kinds[style] ?? "number", is1904) : text;
  }

  return withoutEmptyEnds(rows);
}

/** `AB12` is the 28th column. */
function columnOf(reference: string): number {
  return [.../^[A-Z]*/.exec(reference)![0]].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

/** Styles reach further than what was typed. */
function withoutEmptyEnds(rows: string[][]): string[][] {
  const full = rows.map((row) => Array.from(row, (cell) => (cell ?? "").trim()));
  const width = full.reduce((most, row) => Math.max(most, row.findLastIndex((cell) => cell !== "") + 1), 0);
  return full.filter((row) => row.some((cell) => cell !== ""))
    .map((row) => Array.from({ length: width }, (_, index) => row[index] ?? ""));
}
