# gcovr's summary by folder: lines, and how many of them were reached.
def row: [.folder, .covered, .total, (if .total > 0 then (1000 * .covered / .total | round / 10 | tostring) + " %" else "-" end)];
[.files[] | {folder: (.filename | split("/")[:-1] | join("/")), covered: .line_covered, total: .line_total}]
| group_by(.folder)
| map({folder: .[0].folder, covered: (map(.covered) | add), total: (map(.total) | add)})
| . + [{folder: "all", covered: (map(.covered) | add), total: (map(.total) | add)}]
| (["folder", "reached", "lines", ""], (.[] | row)) | @tsv
