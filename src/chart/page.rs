//! Pages that need nothing else: the frame around them and what many of them hold.

use super::escaped;
use super::style;

/// A page with a heading, what stands below it, and a last line.
pub struct Page<'a> {
    /// The title of the window, as text.
    pub title: &'a str,
    /// The heading and what belongs to it, as HTML.
    pub header: &'a str,
    /// All below it, as HTML.
    pub body: &'a str,
    /// The last line, as HTML.
    pub footer: &'a str,
}

impl Page<'_> {
    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let Self { title, header, body, footer } = self;
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"generator\" content=\"tedomari\">\n<title>{}</title>\n\
             <style>\n{}</style>\n</head>\n<body>\n<main>\n<header>{header}</header>\n\
             {body}<footer class=\"note\">{footer}</footer>\n</main>\n</body>\n</html>\n",
            escaped(title),
            style::of_page(),
        )
    }
}

/// A number or word that stands in a JSON file too, with the way to it there, so that the two can be
/// compared.
#[must_use]
pub fn marked(key: &str, text: &str) -> String {
    format!(r#"<span data-key="{}">{}</span>"#, escaped(key), escaped(text))
}

/// A card with a title, which is text; `class` is `wide` for one over the whole page.
#[must_use]
pub fn card(class: &str, title: &str, inside: &str) -> String {
    let title = escaped(title);
    format!("<section class=\"card {class}\"><h2>{title}</h2>{inside}</section>\n")
}
