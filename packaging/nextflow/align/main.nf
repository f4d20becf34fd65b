process RIBOGRID_ALIGN {
    tag "$meta.id"
    label 'process_high'

    conda "${moduleDir}/environment.yml"

    input:
    tuple val(meta), path(reads)
    path references

    output:
    tuple val(meta), path("*.h5"), emit: pairs
    path "versions.yml", emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    def against = references ? "--against ${references}" : ''
    """
    ribogrid align ${reads} ${against} ${args} --threads ${task.cpus} -o ${prefix}.h5

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        ribogrid: \$(ribogrid --version | sed -n '1s/ribogrid //p')
    END_VERSIONS
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.h5 versions.yml
    """
}
