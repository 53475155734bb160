import assert from "node:assert/strict";
import { strToU8, zipSync } from "fflate";
import { numberKind, numberText } from "../../console/data/spreadsheet/cell_text.ts";
import { readXlsx } from "../../console/data/spreadsheet/read_xlsx.ts";
import { xlsxToCsv } from "../../console/data/spreadsheet/xlsx_to_csv.ts";

const NS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';

/** A workbook with one sheet, as spreadsheets write it. Style 1 is a date, 2 a date with a time, 3 five digits. */
function workbook(rows: string, more: Record<string, string> = {}): Uint8Array<ArrayBuffer> {
  const files = {
    "xl/workbook.xml":
      `<?xml version="1.0"?><workbook ${NS} xmlns:r="r"><workbookPr/><sheets><sheet name="Old" state="hidden" r:id="rId1"/>` +
      `<sheet name="People" r:id="rId2"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>` +
      `<Relationship Id="rId2" Target="worksheets/sheet2.xml"/></Relationships>`,
    "xl/styles.xml":
      `<styleSheet ${NS}><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm&quot; h&quot;"/>` +
      `<numFmt numFmtId="165" formatCode="00000"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
      `<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
    "xl/sharedStrings.xml":
      `<sst ${NS}><si><t>Teléfono</t></si><si><r><t xml:space="preserve">Fi</t></r><r><t>rst &amp; last</t></r></si>` +
      `<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si></sst>`,
    "xl/worksheets/sheet2.xml": `<worksheet ${NS}><sheetData>${rows}</sheetData></worksheet>`,
    ...more,
  };
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
}

Deno.test("readXlsx() reads the first sheet that shows: texts, numbers, dates, in their columns", () => {
  const file = workbook(
    `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="inlineStr"><is><t>Day</t></is></c></row>` +
      `<row r="2"><c r="A2"><v>3.4600111222E10</v></c><c r="B2" t="s"><v>2</v></c><c r="C2" s="3"><v>8001</v></c>` +
      `<c r="D2" s="1"><v>46357</v></c></row>` +
      `<row r="3"><c r="D3" s="1"/></row>` +
      `<row r="4"><c r="A4" t="str"><f>A2</f><v>+34 600</v></c><c r="B4" t="b"><v>1</v></c><c r="C4" t="e"><v>#N/A</v></c>` +
      `<c r="D4" s="2"><v>46357.395833333336</v></c><c r="F4" s="1"/></row>`,
  );

  assert.deepEqual(readXlsx(file), [
    ["Teléfono", "First & last", "", "Day"],
    ["34600111222", "東京", "08001", "2026-12-01"],
    ["+34 600", "TRUE", "", "2026-12-01T09:30"],
  ]);
});

Deno.test("readXlsx() throws for what is no workbook", () => {
  assert.throws(() => readXlsx(strToU8("PK and nothing more")));
  assert.throws(() => readXlsx(zipSync({ "readme.txt": strToU8("hello") })));
});

Deno.test("xlsxToCsv() quotes every cell", async () => {
  const file = workbook(`<row><c t="inlineStr"><is><t>say "a", b</t></is></c><c><v>1</v></c></row>`);

  assert.equal(await (await xlsxToCsv(new Blob([file]))).text(), '"say ""a"", b","1"\r\n');
});

Deno.test("numberText() writes all digits, and dates by ISO 8601", () => {
  assert.equal(numberText("3.46001112220001E14", "number", false), "346001112220001");
  assert.equal(numberText("0.1", "number", false), "0.1");
  assert.equal(numberText("12.299999999999999", "number", false), "12.3");
  assert.equal(numberText("1E-7", "number", false), "0.0000001");
  assert.equal(numberText("0.375", "date", false), "09:00");
  assert.equal(numberText("44895", "date", true), "2026-12-01");
  assert.equal(numberText("n", "number", false), "n");
});

Deno.test("numberKind() distinguishes dates from other formats", () => {
  assert.equal(numberKind(22, undefined), "date");
  assert.equal(numberKind(2, undefined), "number");
  for (const code of ["yyyy\\-mm\\-dd", "[$-409]d/m/yy h:mm AM/PM;@", "[h]:mm"]) {
    assert.equal(numberKind(164, code), "date", code);
  }
  for (const code of ["#,##0.00 [$€-1]", "General", '0" days"', "0.00E+00", "[Red]0"]) {
    assert.equal(numberKind(164, code), "number", code);
  }
});
