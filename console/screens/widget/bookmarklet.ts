/**
 * Returns the address of a bookmark that puts a widget onto the page that is open: `javascript:…`.
 *
 * @param embed the line that puts the widget on a page
 * @param refused what the bookmark says on a page that does not let the script run
 */
export function bookmarkletOf(embed: string, refused: string): string {
  const { src, ...data } = attributesOf(embed);
  const program = `(()=>{
    const refuse=()=>alert(${JSON.stringify(refused)});
    try{
      const script=document.createElement("script");
      for(const [name,value] of Object.entries(${JSON.stringify(data)}))script.setAttribute(name,value);
      script.onerror=refuse;
      script.src=${JSON.stringify(src)};
      document.head.append(script);
    }catch{refuse()}
  })()`;
  return `javascript:${encodeURIComponent(program.replace(/\n\s*/g, ""))}`;
}

/** The attributes with a value; the service escapes nothing in them. */
function attributesOf(embed: string): Record<string, string> {
  return Object.fromEntries(
    [...embed.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  );
}
