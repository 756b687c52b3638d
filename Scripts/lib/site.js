// The search: sections that have all words, those with a word in their title first.
const field = document.getElementById("search");
const list = document.getElementById("results");
const mostResults = 20;

function found(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const hits = [];
  for (const section of searchIndex) {
    const title = `${section.title} ${section.of}`.toLowerCase();
    const text = `${title} ${section.text.toLowerCase()}`;
    if (words.every((word) => text.includes(word))) {
      hits.push({ section, inTitle: words.filter((word) => title.includes(word)).length });
    }
  }
  return hits.sort((one, other) => other.inTitle - one.inTitle).slice(0, mostResults).map((hit) => hit.section);
}

function item(section) {
  const link = document.createElement("a");
  link.href = `${siteBase}${section.page}#${section.anchor}`;
  link.textContent = section.title;
  const page = document.createElement("small");
  page.textContent = section.of;
  link.append(page);
  const entry = document.createElement("li");
  entry.append(link);
  return entry;
}

function show() {
  const sections = found(field.value);
  list.replaceChildren(...sections.map(item));
  list.hidden = field.value.trim() === "";
  if (!list.hidden && sections.length === 0) list.textContent = "Nothing found.";
}

field.addEventListener("input", show);
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") list.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
});

// An address with ?search=words shows their results.
const asked = new URLSearchParams(location.search).get("search");
if (asked) {
  field.value = asked;
  show();
}

// A button that copies the code of a block. A page that is opened from a file may not use the clipboard in the modern way.
async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (!isCopied) throw new Error("the browser does not permit it");
}

for (const block of document.querySelectorAll("main pre")) {
  const frame = document.createElement("div");
  frame.className = "code";
  block.replaceWith(frame);
  const button = document.createElement("button");
  button.className = "copy";
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy the code");
  button.addEventListener("click", async () => {
    try {
      await copy(block.textContent.replace(/\n$/, ""));
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not copied";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  frame.append(block, button);
}
